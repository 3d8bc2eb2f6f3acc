"""Languages of source code by the extension of the file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

_EXTENSIONS: Final = {
    "Assembly": ".asm .s",
    "C": ".c .h",
    "C#": ".cs",
    "C++": ".cc .cpp .cxx .hh .hpp .hxx",
    "CSS": ".css .less .scss",
    "Clojure": ".clj .cljs",
    "Dart": ".dart",
    "Elixir": ".ex .exs",
    "Erlang": ".erl .hrl",
    "F#": ".fs .fsx",
    "Fortran": ".f .f90 .f95",
    "Go": ".go",
    "GraphQL": ".graphql",
    "Haskell": ".hs",
    "INI": ".cfg .conf .ini .properties",
    "Java": ".java",
    "JavaScript": ".cjs .js .jsx .mjs",
    "Julia": ".jl",
    "Kotlin": ".kt .kts",
    "LaTeX": ".bib .cls .sty .tex",
    "Lisp": ".el .lisp .scm",
    "Lua": ".lua",
    "Nix": ".nix",
    "OCaml": ".ml .mli",
    "PHP": ".php",
    "Pascal": ".pas",
    "Perl": ".pl .pm",
    "PowerShell": ".ps1 .psm1",
    "Protocol Buffers": ".proto",
    "Python": ".py .pyi .pyw",
    "R": ".r",
    "Ruby": ".rb",
    "Rust": ".rs",
    "SQL": ".sql",
    "Scala": ".scala",
    "Shell": ".bash .fish .sh .zsh",
    "Svelte": ".svelte",
    "Swift": ".swift",
    "TOML": ".toml",
    "Terraform": ".tf",
    "TypeScript": ".ts .tsx",
    "Visual Basic": ".bas .vb",
    "Vue": ".vue",
    "XML": ".xml .xsd .xsl .xslt",
    "YAML": ".yaml .yml",
    "Zig": ".zig",
}

LANGUAGES: Final[Mapping[str, str]] = {
    extension: language for language, extensions in _EXTENSIONS.items() for extension in extensions.split()
}
"""The name of the language by the extension in lower case, with the dot."""
