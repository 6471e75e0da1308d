"""Tables as Markdown."""


def print_table(header, rows):
    print("| " + " | ".join(header) + " |")
    print("|---|" + "---:|" * (len(header) - 1))
    for row in rows:
        print("| " + " | ".join(map(str, row)) + " |")
    print()
