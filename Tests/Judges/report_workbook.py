"""Compares the sheet of a report with the numbers that it has to hold, as openpyxl reads them.

`problems(path, numbers, first, last)` lists what is wrong in the sheet `Resumen` of a workbook: a cell that is not the number
of the reference (Tests/Oracle/report_reference.py), a section or a chart too many or too few, and a chart that does not point
at exactly the cells of its section.
"""
import datetime
import re
import xml.etree.ElementTree as xml
import zipfile
import zoneinfo

import openpyxl

SHEET = "Resumen"
MONEY = '"$"#,##0.00'
CHART = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"
DRAWING = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
WORDS = {
    "membership": "membresía", "day_pass": "pase de día", "product": "producto", "service": "servicio", "guest_invite": "invitado",
    "cash": "efectivo", "card": "tarjeta", "transfer": "transferencia", "stripe": "Stripe", "apple_pay": "Apple Pay",
    "google_pay": "Google Pay", "rent": "renta", "utilities": "servicios públicos", "payroll": "nómina", "equipment": "equipo",
    "supplies": "insumos", "maintenance": "mantenimiento", "marketing": "publicidad", "insurance": "seguros", "taxes": "impuestos",
    "other": "otros", "active": "activa", "expired": "vencida", "suspended": "suspendida", "cancelled": "cancelada",
    "pending": "pendiente", "unknown": "sin dato",
}


def word(key):
    return WORDS.get(key, key)


def day(text):
    return datetime.datetime.fromisoformat(text)


def money(rows, key, label=word):
    return [[label(row[key]), row["totalCents"] / 100, row["count"]] for row in rows]


def named(rows, key, value=lambda it: it):
    return [[row["name"] if row["name"] is not None else row["id"], value(row[key])] for row in rows]


def expected(numbers, as_of, today):
    """The sections of the sheet: title, rows, whether there is a chart."""
    income, expenses, visits = numbers["income"], numbers.get("expenses"), numbers["checkIns"]
    sections = [("Ingresos por tipo", money(income["byType"], "type"), True),
                ("Ingresos por método", money(income["byMethod"], "method"), True)]
    if len(income["byMonth"]) > 1:
        sections.append(("Ingresos por mes", money(income["byMonth"], "month", lambda month: day(month + "-01")), True))
    if expenses is not None:
        sections.append(("Gastos por categoría", money(expenses["byCategory"], "category"), True))
    hours = [[f"{hour:02}:00", count] for hour, count in enumerate(visits["byHour"])]
    used = [hour for hour, count in enumerate(visits["byHour"]) if count]
    left_out = [[numbers[kind]["payments"] for kind in ("undated", "unreadable")]]
    if expenses is not None:
        left_out.append([numbers[kind]["expenses"] for kind in ("undated", "unreadable")])
    left_out += [[numbers["undated"][kind], 0] for kind in ("checkIns", "memberships")]
    labels = ["Ingresos", *(["Gastos"] if expenses is not None else []), "Asistencias", "Vencimientos"]
    sections += [
        ("Asistencias por día", [[day(row["day"]), row["count"]] for row in visits["byDay"]], True),
        ("Asistencias por hora", hours[used[0]:used[-1] + 1] if used else [], True),
        ("Los diez con más asistencias", named(visits["topMembers"], "count"), True),
        (f"Miembros por estado al {today}", [[word(row["status"]), row["count"]] for row in numbers["members"]["byStatus"]], True),
        (f"Membresías que vencen en 7 días desde el {as_of}", named(numbers["members"]["endingSoon"], "day", day), False),
        (f"Existencias de 5 o menos al {today}", named(numbers["lowStock"], "stock"), False),
    ]
    if any(map(any, left_out)):
        rows = [[label, *row] for label, row in zip(labels, left_out)]
        sections.append(("No contados, sin fecha o sin importe en pesos", rows, False))
    return sections


def totals(numbers, today):
    income, expenses = numbers["income"], numbers.get("expenses")
    rows = [["Ingresos", income["totalCents"] / 100, income["count"]]]
    if expenses is not None:
        rows += [["Gastos", expenses["totalCents"] / 100, expenses["count"]], ["Utilidad", numbers["profitCents"] / 100]]
    members = sum(row["count"] for row in numbers["members"]["byStatus"])
    return rows + [["Asistencias", None, numbers["checkIns"]["total"]], [f"Miembros registrados al {today}", None, members]]


def charts(path):
    """Title, categories and values of each chart of a workbook: the title's text, and the references."""
    found = []
    with zipfile.ZipFile(path) as parts:
        for name in parts.namelist():
            if re.fullmatch(r"xl/charts/chart\d+\.xml", name):
                root = xml.fromstring(parts.read(name))
                title = "".join(it.text for it in root.find(f".//{CHART}chart/{CHART}title").iter(DRAWING + "t"))
                series = root.findall(f".//{CHART}ser")
                references = [[ser.find(f"{CHART}{part}//{CHART}f").text for part in ("cat", "val")] for ser in series]
                found.append((title, references))
    return found


def blocks(sheet):
    """What stands in the first three columns, between blank rows: the row of its first line, and its lines."""
    block, start = [], None
    for number, row in enumerate(sheet.iter_rows(max_col=3), 1):
        values = [cell.value for cell in row]
        while values and values[-1] is None:
            values.pop()
        if values:
            start = start or number
            block.append(values)
        elif block:
            yield start, block
            block, start = [], None
    if block:
        yield start, block


def text(value):
    """A text as a cell holds it: openpyxl leaves the escapes of control characters in place."""
    if not isinstance(value, str):
        return value
    return re.sub(r"_x([0-9A-F]{4})_", lambda code: chr(int(code[1], 16)), value)


def problems(path, numbers, first, last):
    book = openpyxl.load_workbook(path)
    if book.sheetnames[0] != SHEET:
        return [f"the first sheet is {book.sheetnames[0]}"]
    sheet = book[SHEET]
    found = [(start, [[text(value) for value in row] for row in block]) for start, block in blocks(sheet)]
    wrong = []
    title, period, total, *rest = [block for _, block in found]
    if [row[1] for row in period[:2]] != [day(str(first)), day(str(last))]:
        wrong.append(f"the period is {period}")
    # The day of the members and the stock; midnight may have passed since.
    now = datetime.datetime.now(zoneinfo.ZoneInfo("America/Mexico_City"))
    today = total[-1][0].rpartition(" ")[2]
    if today not in (str(now.date()), str((now - datetime.timedelta(days=1)).date())):
        wrong.append(f"the members are of {today}")
    if total[1:] != totals(numbers, today):
        wrong.append(f"the totals are {total[1:]}, not {totals(numbers, today)}")
    wanted = expected(numbers, period[2][1].date(), today)
    if [block[0][0] for block in rest] != [title for title, _, _ in wanted]:
        wrong.append(f"the sections are {[block[0][0] for block in rest]}")
        return wrong
    drawn = charts(path)
    if sorted(title for title, _ in drawn) != sorted(title for title, rows, has in wanted if rows and has):
        wrong.append(f"the charts are {[title for title, _ in drawn]}")
    for (start, block), (title, rows, _) in zip(found[3:], wanted):
        if not rows:
            if block[1] != ["nada"]:
                wrong.append(f"{title}: {block[1]}")
            continue
        # The title and the headings come before the rows. An empty text is no cell.
        rows = [[None if value == "" else value for value in row] for row in rows]
        if block[2:2 + len(rows)] != rows or any(len(row) > 1 for row in block[2 + len(rows):]):
            wrong.append(f"{title} is {block[2:]}, not {rows}")
        top, bottom = start + 2, start + 1 + len(rows)
        if title.startswith(("Ingresos", "Gastos")):
            formats = {sheet.cell(row, 2).number_format for row in range(top, bottom + 1)}
            if formats != {MONEY}:
                wrong.append(f"{title} has the formats {formats}")
        for name, references in drawn:
            if name == title:
                cells = [[f"{SHEET}!${column}${top}:${column}${bottom}" for column in "AB"]]
                # One cell is no range.
                if references not in (cells, [[it.partition(":")[0] for it in pair] for pair in cells] if top == bottom else cells):
                    wrong.append(f"the chart {title} shows {references}, not {cells}")
    return wrong
