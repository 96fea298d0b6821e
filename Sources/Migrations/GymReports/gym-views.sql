-- The owner's numbers as views of a mirror, by the rules of the report. Days and months are those of the gym's zone; amounts that
-- are no numbers, or in another currency than pesos, are left out. A value that is no time is JSON in the column of one. Times are
-- cut to seconds, because SQLite rounds them to milliseconds, which is the next day for the last of them. WHITE_SPACE is
-- replaced by the characters that are white space, because trim() alone takes only blanks. Functions of JSON are refused in views of
-- a schema that is not trusted.

CREATE VIEW local_payments AS
SELECT
  p.*,
  datetime(
    substr(p.moment, 1, 19),
    (SELECT modifier FROM zone_offsets WHERE from_utc <= p.moment ORDER BY from_utc DESC LIMIT 1)
  ) AS local_time
FROM (
  SELECT
    *,
    CASE
      WHEN completed_at LIKE '____-%' THEN completed_at
      WHEN created_at LIKE '____-%' THEN created_at
    END AS moment
  FROM payments
) AS p
WHERE p.status = 'completed';

CREATE VIEW income_by_month AS
SELECT
  strftime('%Y-%m', local_time) AS month, type, method, count(*) AS payments, round(sum(amount), 2) AS amount
FROM local_payments
WHERE typeof(amount) = 'real' AND abs(amount) <= 1e9
  AND upper(trim(coalesce(currency, ''), WHITE_SPACE)) IN ('', 'MXN')
GROUP BY 1, 2, 3;

CREATE VIEW expenses_by_month AS
SELECT
  strftime(
    '%Y-%m', substr(date, 1, 19),
    (SELECT modifier FROM zone_offsets WHERE from_utc <= e.date ORDER BY from_utc DESC LIMIT 1)
  ) AS month,
  category, count(*) AS expenses, round(sum(amount), 2) AS amount
FROM expenses AS e
WHERE is_active IS NOT 0 AND typeof(amount) = 'real' AND abs(amount) <= 1e9
  AND upper(trim(coalesce(currency, ''), WHITE_SPACE)) IN ('', 'MXN')
GROUP BY 1, 2;

CREATE VIEW check_ins_by_day AS
SELECT
  date(
    substr(check_in_date, 1, 19),
    (SELECT modifier FROM zone_offsets WHERE from_utc <= c.check_in_date ORDER BY from_utc DESC LIMIT 1)
  ) AS day,
  count(*) AS check_ins
FROM check_ins AS c
WHERE check_in_date LIKE '____-%'
GROUP BY 1;

CREATE VIEW members_by_status AS
SELECT membership_status AS status, count(*) AS members
FROM members
WHERE is_active IS NOT 0
GROUP BY 1;

CREATE VIEW memberships_that_end AS
SELECT *
FROM (
  SELECT
    _id, first_name, paternal_last_name, maternal_last_name, membership_end_date,
    date(
      substr(membership_end_date, 1, 19),
      (SELECT modifier FROM zone_offsets WHERE from_utc <= m.membership_end_date ORDER BY from_utc DESC LIMIT 1)
    ) AS last_day
  FROM members AS m
  WHERE membership_status = 'active' AND is_active IS NOT 0
)
WHERE last_day BETWEEN
  date(
    'now',
    (SELECT modifier FROM zone_offsets WHERE from_utc <= strftime('%Y-%m-%dT%H:%M:%fZ', 'now') ORDER BY from_utc DESC LIMIT 1)
  )
  AND date(
    'now',
    (SELECT modifier FROM zone_offsets WHERE from_utc <= strftime('%Y-%m-%dT%H:%M:%fZ', 'now') ORDER BY from_utc DESC LIMIT 1),
    '+7 days'
  );

CREATE VIEW low_stock AS
SELECT _id, name, number AS stock
FROM (
  SELECT
    *,
    CASE
      WHEN stock GLOB '{"doubleValue":[-0-9]*' THEN CAST(substr(stock, length('{"doubleValue":') + 1) AS REAL)
      ELSE stock
    END AS number
  FROM products
)
WHERE is_active IS NOT 0 AND typeof(number) IN ('integer', 'real') AND number > -9e999 AND number <= 5;
