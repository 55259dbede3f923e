"""What a check can find, how severe it is, and the report of all findings."""

import json
from collections import Counter
from dataclasses import dataclass
from itertools import groupby
from typing import Literal

from lookalike.data.catalog.entries import printable

Severity = Literal["error", "warning", "note"]

_BY_SEVERITY: dict[Severity, str] = {
    "error": (
        "bad-catalog bad-row no-images missing permission directory not-a-file empty-file "
        "not-an-image truncated undecodable too-large box-outside shared-classes "
        "duplicate-across-splits duplicate-across-classes"
    ),
    "warning": (
        "no-class without-split box-beyond-edge wrong-extension duplicate empty-class "
        "single-image-class one-class similar-class-names query-without-match"
    ),
    "note": (
        "ignored-junk ignored-file folder-loop animated rotated cmyk deep-colour alpha small-class"
    ),
}
KINDS = {kind: severity for severity, kinds in _BY_SEVERITY.items() for kind in kinds.split()}
"""All kinds with their severity, in the order of a report. An error must be repaired: reading
stops there, or figures would be wrong. A warning makes figures less accurate or less comparable.
A note says what is done with something unusual."""


@dataclass(frozen=True, slots=True)
class CheckFinding:
    """One thing that a check found.

    Args:
        kind: One of `KINDS`.
        message: What was found, and what is done with it.
        path: The picture or folder, as the catalog names it.
        row: Where the catalog names it, counted as in `Catalog.rows`.
    """

    kind: str
    message: str
    path: str | None = None
    row: int | None = None

    @property
    def severity(self) -> Severity:
        """How severe it is."""
        return KINDS[self.kind]


@dataclass(frozen=True, slots=True)
class CheckReport:
    """All that a check found.

    Args:
        source: The folder or file that was checked.
        images: How many pictures were read.
        classes: How many classes they have.
        findings: Errors first, then warnings, then notes; in the catalog's order within a kind.
        row_word: What rows are called in the lines: "line", "row", or "" to leave them out.
    """

    source: str
    images: int
    classes: int
    findings: tuple[CheckFinding, ...]
    row_word: str = ""

    @property
    def ok(self) -> bool:
        """Whether there is no error."""
        return not self.counts()["error"]

    def counts(self) -> Counter[str]:
        """Count errors, warnings and notes."""
        return Counter(finding.severity for finding in self.findings)

    def summary(self) -> str:
        """Say in one line how much was checked and how much was found.

        >>> CheckReport("birds", 2, 1, (CheckFinding("no-class", "not used", "a.png"),)).summary()
        'birds: 2 pictures, 1 classes; errors 0, warnings 1, notes 0'
        """
        counts = self.counts()
        return (
            f"{self.source}: {self.images} pictures, {self.classes} classes; errors "
            f"{counts['error']}, warnings {counts['warning']}, notes {counts['note']}"
        )

    def lines(self, *, per_kind: int | None = None) -> list[str]:
        """Write one line for each finding.

        Args:
            per_kind: Write at most this many of each kind, and how many more there are.
        """
        lines: list[str] = []
        for kind, alike in groupby(self.findings, key=lambda finding: finding.kind):
            findings = list(alike)
            lines += [self._line(finding) for finding in findings[:per_kind]]
            if per_kind is not None and len(findings) > per_kind:
                lines.append(f"{KINDS[kind]}: {kind}: and {len(findings) - per_kind} more")
        return lines

    def _line(self, finding: CheckFinding) -> str:
        numbered = self.row_word and finding.row is not None
        row = f"{self.row_word} {finding.row}" if numbered else ""
        place = ", ".join(part for part in (finding.path, row) if part)
        parts = (finding.severity, finding.kind, place, finding.message)
        return printable(": ".join(part for part in parts if part))

    def to_json(self) -> str:
        """Write counts and all findings as JSON."""
        counts = self.counts()
        keys = ("kind", "severity", "path", "row", "message")
        data = {
            "source": self.source,
            "ok": self.ok,
            "images": self.images,
            "classes": self.classes,
            **{f"{severity}s": counts[severity] for severity in _BY_SEVERITY},
            "findings": [{key: getattr(each, key) for key in keys} for each in self.findings],
        }
        return json.dumps(data, indent=2)
