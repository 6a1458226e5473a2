"""What notebooks show of robots, recordings, comparisons and identifications."""
from __future__ import annotations

from html import escape
from typing import Any, Iterable, List, Sequence

import numpy as np

from .results import Array


def _number(value: Any) -> str:
    if isinstance(value, (float, np.floating)):
        return "" if np.isnan(value) else f"{value:.4g}"
    return escape(str(value))


def table(head: Sequence[str], rows: Iterable[Sequence[Any]], title: str = "") -> str:
    """An HTML table."""
    parts: List[str] = ["<table>"]
    if title:
        parts.append(f"<caption>{escape(title)}</caption>")
    parts.append("<tr>" + "".join(f"<th>{escape(word)}</th>" for word in head) + "</tr>")
    for row in rows:
        parts.append("<tr>" + "".join(f"<td>{_number(cell)}</td>" for cell in row) + "</tr>")
    parts.append("</table>")
    return "".join(parts)


def robot_table(robot: Any) -> str:
    """Joints with their limits, and what the file gave cause to say."""
    limits = robot.limits

    def range_of(low: Array, high: Array) -> str:
        if len(low) != 1 or not np.isfinite([low[0], high[0]]).any():
            return ""
        return f"{low[0]:.4g} … {high[0]:.4g}"

    rows = [(joint.name, joint.kind, f"{joint.q.start}"
             + (f"–{joint.q.stop - 1}" if joint.q.stop - joint.q.start > 1 else ""),
             range_of(limits.lower[joint.q], limits.upper[joint.q]),
             ", ".join("" if np.isinf(x) else f"{x:.4g}" for x in limits.velocity[joint.v]),
             ", ".join("" if np.isinf(x) else f"{x:.4g}" for x in limits.effort[joint.v]))
            for joint in robot.joints]
    title = f"{robot.name}: n_q {robot.n_q}, n_v {robot.n_v}, {robot.mass:.4g} kg moving"
    text = table(["joint", "kind", "q", "range", "velocity", "effort"], rows, title)
    findings = [f for f in robot.findings if f.severity != "note"]
    if findings:
        text += "<ul>" + "".join(f"<li>{escape(str(f))}</li>" for f in findings) + "</ul>"
    return text


def recording_table(recording: Any) -> str:
    """Figures of each joint, the outcome and the conditions of the proof."""
    figures = recording.joint_figures()
    title = f"{recording.controller} on {recording.robot}: {recording.stop}"
    parts = []
    if figures:
        names = list(next(iter(figures.values())))
        parts.append(table(["joint"] + names,
                           [[joint] + list(row.values()) for joint, row in figures.items()], title))
    rows = [(row.verdict, row.name, row.text) for row in recording.outcome]
    rows += [(c.verdict, c.name, f"{c.value:.4g} {c.relation} {c.bound:.4g}")
             for c in recording.conditions]
    if rows:
        parts.append(table(["verdict", "what", "numbers"], rows))
    return "".join(parts)


def comparison_table(comparison: Any) -> str:
    """The figures of every run beside each other."""
    summary = comparison.summary()
    if not summary:
        return table(["run"], [])
    names = [name for name in next(iter(summary.values()))
             if not all(np.isnan(row[name]) for row in summary.values())]
    text = table(["run"] + names, [[run] + [row[name] for name in names]
                                   for run, row in summary.items()])
    return text + "".join(f"<p>{escape(note)}</p>" for note in comparison.notes)


def sweep_table(sweep: Any) -> str:
    """Quantiles of every figure."""
    return table(["figure", "unit", "runs", "5 %", "median", "95 %", "worst", "sample"],
                 sweep.statistics, f"{len(sweep)} runs")


def identification_table(found: Any) -> str:
    """Parameters with their intervals."""
    rows = [(p.name, p.value, p.low, p.high, p.before, p.unit, "yes" if p.determined else "no")
            for p in found.parameters]
    title = f"{found.method}; residual {found.train.all:.3g} %"
    if found.validation is not None:
        title += f", of other motions {found.validation.all:.3g} %"
    return table(["parameter", "value", "low", "high", "before", "unit", "determined"], rows, title)
