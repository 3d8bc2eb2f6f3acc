"""The command `get_model`."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError
from tqdm import tqdm

from memories.embeddings.base import DEFAULT_MODEL, INTEGER_MINILM, MINILM_AND_USE, SHIPPED_MODELS
from memories.embeddings.curated import CURATED, CuratedModel
from memories.embeddings.hub.client import DEFAULT_HUB, Hub
from memories.embeddings.hub.copies import files_in_archive, files_in_folder
from memories.embeddings.hub.installing import install_files, install_from_hub, is_installed
from memories.embeddings.store import choose_model, configured_model, is_stored, model_folder
from memories.errors import EmbeddingError, StorageFull
from memories.management.commands.reembed import INTERRUPTED
from memories.vectors.following import follow, space_to_follow
from memories.vectors.reembedding import count_unfinished
from memories.vectors.spaces import open_space

LIST_HEADER = "Models that can be downloaded for searching by meaning, multilingual ones first:"
LIST_FOOTER = f"""\
Sizes are those of the network, about four bytes per parameter. Exact sizes and hashes are read from the hub at the
download. Work is the number of multiplications per token, as a multiple of those of {INTEGER_MINILM}. It is
calculated, not measured; models that come with OwnSona calculate with 8-bit integers, which is faster for the same
work.

These models come with OwnSona: {DEFAULT_MODEL} (about 100 languages, 1,280 dimensions, the default), {MINILM_AND_USE}
(16 languages, 896 dimensions), and {INTEGER_MINILM} (English, 384 dimensions).

manage.py get_model NAME downloads a model, embeds all memories with it, and switches to it."""


class Command(BaseCommand):
    """A command that installs a curated model and moves all memories to it. It can be interrupted and run again."""

    help = (
        "List the models that can be downloaded, or with NAME: download a model, embed all memories with it, and then "
        "switch searches to it. OwnSona can keep running: until the switch, searches use the previous model."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", nargs="?", metavar="NAME", help="the model; without it, the models are listed")
        source = parser.add_mutually_exclusive_group()
        source.add_argument("--mirror", metavar="URL", help=f"another hub than {DEFAULT_HUB}")
        source.add_argument("--folder", type=Path, metavar="PATH", help="a copy of the model's repository")
        source.add_argument("--file", type=Path, metavar="PATH", help="a zip or tar archive of such a copy")
        parser.add_argument("--no-switch", action="store_true", help="download and test the model, but do not use it")

    def handle(self, *_: object, **options: Any) -> None:
        name = options["name"]
        if name is None:
            self._list()
            return
        if name not in CURATED and name not in SHIPPED_MODELS:
            names = ", ".join([*CURATED, *sorted(SHIPPED_MODELS)])
            raise CommandError(f"There is no model {name!r} to download. Use one of: {names}.")
        try:
            if name in CURATED:
                self._install(CURATED[name], options)
            if options["no_switch"]:
                self.stdout.write(f"Searches do not use it. To switch: manage.py get_model {name}")
                return
            self._switch(name)
        except (EmbeddingError, StorageFull) as error:
            raise CommandError(f"{error} Searches are not affected.") from None
        except KeyboardInterrupt:
            raise CommandError("Interrupted. Run the same command again to continue.", returncode=INTERRUPTED) from None
        except OSError as error:
            raise CommandError(f"{error.filename}: {error.strerror or error}.") from None

    def _list(self) -> None:
        self.stdout.write(f"{LIST_HEADER}\n")
        in_use = configured_model()
        for model in CURATED.values():
            state = "chosen" if model.name == in_use else "downloaded" if is_stored(model.name) else ""
            self.stdout.write(f"{model.name}{f' ({state})' if state else ''}")
            self.stdout.write(f"    {description(model)}\n")
        self.stdout.write(LIST_FOOTER)

    def _install(self, model: CuratedModel, options: dict[str, Any]) -> None:
        if options["folder"]:
            install_files(model, files_in_folder(model, options["folder"]))
            self._print_unverified(model)
        elif options["file"]:
            with files_in_archive(model, options["file"]) as files:
                install_files(model, files)
            self._print_unverified(model)
        elif is_installed(model):
            self.stdout.write(f"{model.name} is already downloaded, and its files are undamaged.")
        else:
            self._download(model, Hub(options["mirror"] or DEFAULT_HUB))

    def _download(self, model: CuratedModel, hub: Hub) -> None:
        self.stdout.write(f"Downloading {model.repository} from {hub}. Licence: {model.licence}.")
        self.stdout.flush()
        with tqdm(total=None, unit="B", unit_scale=True, disable=None) as bar:

            def progress(stored: int, total: int) -> None:
                bar.total = total
                bar.update(stored - bar.n)

            install_from_hub(model, hub, progress)
        self.stdout.write(
            f"{model.name} is in {model_folder(model.name)}. Its files have the hashes of the hub's metadata, and it "
            "works."
        )

    def _print_unverified(self, model: CuratedModel) -> None:
        self.stdout.write(
            f"{model.name} is in {model_folder(model.name)}, and it works. Its files could not be compared with the "
            "hashes of a hub. Damage from now on will be noticed."
        )

    def _switch(self, name: str) -> None:
        choose_model(name)
        if settings.EMBEDDING_PROVIDER != "local" or settings.EMBEDDING_MODEL:
            setting = "EMBEDDING_MODEL" if settings.EMBEDDING_PROVIDER == "local" else "EMBEDDING_PROVIDER"
            self.stdout.write(
                f"{setting} is set, and it takes precedence over this choice. To use {name}, remove the EMBEDDING_* "
                "settings and restart OwnSona."
            )
            return
        try:
            self._move(name)
        except DatabaseError:
            # A data folder that was never started has no tables yet.
            self.stdout.write(f"OwnSona will use {name} from its first start.")
        except KeyboardInterrupt:
            raise CommandError(
                f"Interrupted. The job process of OwnSona continues as long as it runs, and {name} is used when all "
                "memories are embedded.",
                returncode=INTERRUPTED,
            ) from None

    def _move(self, name: str) -> None:
        wanted = space_to_follow()
        if wanted is not None:
            with tqdm(
                total=count_unfinished(open_space(wanted.space, wanted.source)), unit=" memories", disable=None
            ) as bar:
                left = follow(bar.update)
            if left:
                self.stdout.write(f"The model refuses the texts of {left}: only keyword search finds them.")
        self.stdout.write(
            f"Searches use {name}; running processes switch within seconds. No setting has to be changed."
        )


def description(model: CuratedModel) -> str:
    """Return the facts about a model in one line."""
    return (
        f"{model.languages}; {model.dimensions} dimensions; about {model.size_mb} MB; work {model.relative_work:.0f}x; "
        f"licence: {model.licence}"
    )
