#!/usr/bin/env python3
"""An invented shop: customers, products, and orders with items below, one JSON Lines file a collection.

    generate.py --out DIR [--customers N] [--seed S]

The same arguments give the same bytes. Nobody in it exists; addresses are of example.com.
"""

import argparse
import json
import random
from datetime import datetime, timedelta
from pathlib import Path

GIVEN = "Alba Bruno Carla Dario Elena Fabio Greta Hugo Irene Jaime Katia Lucas Marta Nuno Olga Pablo Rita Simon Teresa Vera".split()
FAMILY = "Abril Bosque Campos Duarte Esteve Fuentes Garrido Herrero Iglesias Lafuente Marqués Nogueira Ortuño Prats Quiroga".split()
STREETS = "Calle del Sol,Rua das Flores,Avenida del Puerto,Rue du Moulin,Calle Mayor,Travessa Nova".split(",")
CITIES = [("Madrid", "ES", "28001"), ("Sevilla", "ES", "41001"), ("Porto", "PT", "4000001"), ("Lyon", "FR", "69001"), ("Oviedo", "ES", "03300")]
GOODS = "Lamp Chair Table Shelf Mirror Rug Vase Clock Basket Stool Desk Frame Tray Hook Bench Candle Kettle Mug Plate Bowl".split()
EPOCH = datetime(2025, 1, 7, 9, 0, 0)
ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), sort_keys=True)
DATABASE = "projects/shop-7f3a/databases/live"


def value(item):
    if item is None:
        return {"nullValue": None}
    if isinstance(item, dict):
        return item
    if isinstance(item, bool):
        return {"booleanValue": item}
    if isinstance(item, int):
        return {"integerValue": str(item)}
    if isinstance(item, float):
        return {"doubleValue": item}
    if isinstance(item, datetime):
        return {"timestampValue": item.strftime("%Y-%m-%dT%H:%M:%SZ")}
    if isinstance(item, list):
        return {"arrayValue": {"values": [value(one) for one in item]} if item else {}}
    return {"stringValue": item}


def fields(items):
    return {key: value(item) for key, item in items.items() if item is not ...}


def line(name, items):
    return ENCODER.encode({"name": name, "fields": fields(items)}) + "\n"


def write(folder, name, documents):
    documents = sorted(documents, key=lambda document: document[0].encode().split(b"/"))
    with open(folder / f"{name}.jsonl", "w", encoding="utf-8", newline="\n") as file:
        file.writelines(line(*document) for document in documents)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", required=True)
    parser.add_argument("--customers", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    rng = random.Random(f"shop:{options.seed}")
    folder = Path(options.out)
    folder.mkdir(parents=True, exist_ok=True)

    products = []
    for number in range(25):
        good = GOODS[number % len(GOODS)]
        identifier = f"{good[:3].upper()}-{1000 + number * 7:04d}"
        price = round(rng.uniform(4, 240), 2)
        tags = rng.sample(["new", "sale", "oak", "brass", "blue", "handmade"], rng.randrange(0, 3))
        products.append((f"products/{identifier}", {
            "name": f"{good} {number + 1}", "price": price if number % 6 else float(round(price)), "currency": "EUR",
            "stock": rng.randrange(0, 60), "tags": tags if tags else ...}))
    write(folder, "products", products)

    customers = []
    for number in range(options.customers):
        given, family = rng.choice(GIVEN), rng.choice(FAMILY)
        city, country, postal = rng.choice(CITIES)
        joined = EPOCH + timedelta(minutes=rng.randrange(0, 400 * 1440))
        customers.append((f"customers/c{number + 1:04d}", {
            "name": f"{given} {family}", "email": f"{given.lower()}.{number + 1}@example.com",
            "phone": f"+34 6{rng.randrange(10**7, 10**8)}" if number % 4 else ...,
            "tier": rng.choice(["basic", "basic", "plus", "pro", "gold"]),
            "address": {"mapValue": {"fields": fields({
                "street": f"{rng.choice(STREETS)} {rng.randrange(1, 90)}", "city": city, "zip": postal, "country": country})}}
            if number % 9 else ...,
            "newsletter": number % 3 == 0, "archived": number % 17 == 16,
            "createdAt": joined, "updatedAt": joined + timedelta(days=rng.randrange(0, 90))}))
    write(folder, "customers", customers)

    orders = []
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
    for number in range(options.customers * 2):
        path = "orders/" + "".join(rng.choice(letters) for _ in range(20))
        chosen = rng.sample(products, rng.randrange(1, 5))
        total = 0.0
        items = []
        for position, (product, details) in enumerate(chosen):
            quantity = rng.randrange(1, 4)
            total += details["price"] * quantity
            items.append((f"{path}/items/{position + 1}", {
                "product": {"referenceValue": f"{DATABASE}/documents/{product}"}, "quantity": quantity,
                "price": details["price"]}))
        orders.append((path, {
            "customerId": customers[rng.randrange(len(customers))][0].split("/")[1],
            "status": rng.choice(["open", "paid", "shipped", "shipped", "returned"]), "total": round(total, 2),
            "placedAt": EPOCH + timedelta(minutes=rng.randrange(0, 500 * 1440)),
            "note": "Leave it with the neighbour." if number % 11 == 5 else ...}))
        orders += items
    write(folder, "orders", orders)


if __name__ == "__main__":
    main()
