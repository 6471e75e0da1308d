"""How networks, circuits and runs look in a notebook: a table of layers, the gates, a learning curve."""

from html import escape

GATES = ("false", "a and b", "a and not b", "a", "not a and b", "b", "xor", "or", "nor", "xnor", "not b", "b implies a",
         "not a", "a implies b", "nand", "true")


def _table(header, rows):
    head = "".join(f"<th>{escape(str(cell))}</th>" for cell in header)
    body = "".join("<tr>" + "".join(f"<td>{escape(str(cell))}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _shape(shape):
    return " x ".join(map(str, shape)) if shape[1:] != (1, 1) else str(shape[0])


def _bars(counts, labels):
    """Horizontal bars, the longest first."""
    most = max(counts) if len(counts) and max(counts) else 1
    order = sorted((i for i in range(len(counts)) if counts[i]), key=lambda i: -counts[i])
    rows = []
    for line, i in enumerate(order):
        y = 16 * line
        rows.append(f'<text x="90" y="{y + 12}" text-anchor="end" font-size="11">{escape(labels[i])}</text>'
                    f'<rect x="96" y="{y + 3}" width="{200 * counts[i] / most:.1f}" height="11" fill="#4878a8"/>'
                    f'<text x="{100 + 200 * counts[i] / most:.1f}" y="{y + 12}" font-size="11">{counts[i]:,}</text>')
    return f'<svg width="380" height="{16 * len(order) + 4}" fill="currentColor">{"".join(rows)}</svg>'




def network_html(network):
    import numpy as np
    rows = [(layer.name, layer.kind, _shape(layer.input), _shape(layer.output), f"{layer.neurons:,}",
             f"{int((layer.frozen >= 0).sum()):,}") for layer in network.layers]
    counts = sum(np.bincount(layer.gates, minlength=16) for layer in network.layers)
    return (f"<b>firn.Network</b>: {network.neurons:,} neurons, {network.frozen:,} frozen, after step "
            f"{network.step:,}; {network.classes} classes"
            + _table(("layer", "kind", "input", "output", "neurons", "frozen"), rows)
            + "Gates when discrete<br>" + _bars([int(c) for c in counts], GATES))


def circuit_html(circuit):
    rows = [(layer["name"], layer["kind"], _shape(layer["input"]), _shape(layer["output"]), f"{layer['neurons']:,}",
             f"{layer['gates']:,}") for layer in circuit.layers]
    return (f"<b>firn.Circuit</b>: {circuit.gates:,} gates, {circuit.depth} deep, {circuit.input_bits:,} input bits, "
            f"{circuit.classes} classes"
            + _table(("layer", "kind", "input", "output", "neurons", "gates left"), rows))


def _curve(steps, series):
    """Accuracies over steps; `series` is (name, colour, values)."""
    width, height, left, top = 420, 180, 40, 10
    last = max(1, int(steps[-1]))
    values = [v for _, _, column in series for v in column]
    low, high = min(values), max(values)
    span = max(high - low, 1e-6)

    def point(step, value):
        return f"{left + (width - left - 10) * step / last:.1f},{top + (height - 40) * (1 - (value - low) / span):.1f}"

    parts = [f'<text x="{left - 4}" y="{top + 8}" text-anchor="end" font-size="11">{100 * high:.1f} %</text>',
             f'<text x="{left - 4}" y="{height - 30}" text-anchor="end" font-size="11">{100 * low:.1f} %</text>',
             f'<text x="{width - 10}" y="{height - 14}" text-anchor="end" font-size="11">step {last:,}</text>']
    for i, (name, colour, column) in enumerate(series):
        points = " ".join(point(s, v) for s, v in zip(steps, column))
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="1.5"/>'
                     f'<text x="{left + 90 * i}" y="{height - 14}" font-size="11" style="fill:{colour}">{name}</text>')
    return f'<svg width="{width}" height="{height}" fill="currentColor">{"".join(parts)}</svg>'


def run_html(run):
    metrics = run.metrics
    text = f"<b>firn.Run</b>{f' in {escape(run.path)}' if run.path else ''}: {len(metrics['step'])} evaluations, "
    text += f"{len(run.freezes['step']):,} freezes"
    if not len(metrics["step"]):
        return text
    series = [("relaxed", "#c0792a", metrics["relaxed_accuracy"]), ("discrete", "#4878a8", metrics["discrete_accuracy"])]
    return text + "<br>Accuracy on the validation set<br>" + _curve(metrics["step"], series)


def attach(network, circuit, run):
    network._repr_html_ = network_html
    circuit._repr_html_ = circuit_html
    run._repr_html_ = run_html
