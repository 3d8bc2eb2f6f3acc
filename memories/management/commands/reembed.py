"""The command `reembed`."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm

from memories.embeddings import PROVIDERS, Embedder, embedder_of, get_embedder
from memories.embeddings.base import EmbedderConfig
from memories.embeddings.store import configured_model
from memories.errors import EmbeddingError, StorageFull
from memories.vectors.reembedding import count_unfinished, delete_other_spaces, move_to
from memories.vectors.spaces import SPACE_CACHE_SECONDS, OpenSpace, configured_space, open_space, space_in_use

INTERRUPTED = 130
"""Exit code of a program ended by SIGINT, as in shells."""


class Command(BaseCommand):
    """A command that fills another embedding space and switches to it.

    It can be interrupted and run again, and several can run at the same time.
    """

    help = (
        "Embed all memories with another model, then switch searches to it. The model is that of the settings unless "
        "the options name one. OwnSona can keep running: until the switch, searches use the old vectors."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--provider", choices=sorted(PROVIDERS), help="overrides EMBEDDING_PROVIDER")
        parser.add_argument("--model", metavar="NAME", help="overrides EMBEDDING_MODEL")
        parser.add_argument("--dimensions", type=int, metavar="N", help="overrides EMBEDDING_DIMENSIONS")
        parser.add_argument("--endpoint", metavar="URL", help="overrides EMBEDDING_ENDPOINT")
        parser.add_argument(
            "--forget-old",
            action="store_true",
            help="afterwards delete the vectors of all other models",
        )

    def handle(self, *_: object, **options: Any) -> None:
        try:
            space = self._target(options)
            if space.pk == space_in_use().pk and not count_unfinished(space):
                self.stdout.write(f"All memories are already embedded with {space}.")
            else:
                self._move(space)
            if options["forget_old"]:
                self._forget_old()
        except (EmbeddingError, StorageFull) as error:
            raise CommandError(
                f"{error} The current model stays in use. Run the same command again to continue."
            ) from None
        except KeyboardInterrupt:
            raise CommandError("Interrupted. Run the same command again to continue.", returncode=INTERRUPTED) from None
        self._print_settings_hint(space)

    def _target(self, options: dict[str, Any]) -> OpenSpace:
        """Open the space to move to. Raises EmbeddingError unless its model can embed a word."""
        named = {name: options[name] for name in ("provider", "model", "dimensions", "endpoint")}
        if any(value is not None for value in named.values()):
            embedder, source = _embedder_named(**named)
        else:
            configured = configured_space()
            embedder, source = get_embedder(), configured.source if configured else ""
        embedder.embed(["hello"])
        return open_space(embedder.space, source)

    def _move(self, space: OpenSpace) -> None:
        # `disable=None`: no progress bar unless the output is a terminal.
        with tqdm(total=count_unfinished(space), unit=" memories", disable=None) as bar:
            left = move_to(space, bar.update)
        seconds = f"{SPACE_CACHE_SECONDS:.0f} seconds"
        self.stdout.write(f"Searches use {space} from now on; running processes switch within {seconds}.")
        if left:
            self.stdout.write(f"The provider refuses the texts of {left}: only keyword search finds them.")

    def _forget_old(self) -> None:
        self.stdout.write("Waiting until every process has switched, then deleting the vectors of all other models.")
        self.stdout.flush()
        for name, vectors in delete_other_spaces().items():
            self.stdout.write(f"Deleted {vectors} vectors of {name}.")

    def _print_settings_hint(self, space: OpenSpace) -> None:
        configured = configured_space()
        if configured is None or configured.space != space.space:
            self.stdout.write(
                "The settings name a different model. Set EMBEDDING_PROVIDER, EMBEDDING_MODEL, "
                "EMBEDDING_DIMENSIONS and "
                "EMBEDDING_ENDPOINT to this one, and EMBEDDING_API_KEY if it needs a key, then restart OwnSona."
            )


def _embedder_named(
    provider: str | None, model: str | None, dimensions: int | None, endpoint: str | None
) -> tuple[Embedder, str]:
    """Return the embedder that the options name, and the location of its model.

    Options left out are as in the settings. For another provider than that of the settings only the key is: the
    model and the endpoint of the settings belong to their provider.
    """
    is_same = provider in {None, settings.EMBEDDING_PROVIDER}
    provider = provider or settings.EMBEDDING_PROVIDER
    endpoint = endpoint if endpoint is not None else settings.EMBEDDING_ENDPOINT if is_same else ""
    model = model if model is not None else configured_model() if is_same else ""
    configuration = EmbedderConfig(endpoint, settings.EMBEDDING_API_KEY, model, dimensions or 0)
    return embedder_of(provider, configuration), endpoint if provider == "openai" else model
