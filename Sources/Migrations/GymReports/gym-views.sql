-- The owner's numbers as views of a mirror. Days and months are those of the gym's zone; amounts that are no numbers
-- count as nothing, and those in another currency than pesos are left out.

CREATE VIEW local_payments AS
SELECT
  p.*,
  datetime(
    coalesce(p.completed_at, p.created_at),
    (SELECT modifier FROM zone_offsets WHERE from_utc <= coalesce(p.completed_at, p.created_at) ORDER BY from_utc DESC LIMIT 1)
  ) AS local_time
FROM payments AS p
WHERE p.status = 'completed';

CREATE VIEW income_by_month AS
SELECT
  strftime('%Y-%m', local_time) AS month, type, method, count(*) AS payments,
  round(sum(CASE WHEN typeof(amount) = 'real' THEN amount ELSE 0 END), 2) AS amount
FROM local_payments
WHERE trim(coalesce(currency, '')) = '' OR upper(trim(currency)) = 'MXN'
GROUP BY 1, 2, 3;

CREATE VIEW expenses_by_month AS
SELECT
  strftime(
    '%Y-%m', date,
    (SELECT modifier FROM zone_offsets WHERE from_utc <= e.date ORDER BY from_utc DESC LIMIT 1)
  ) AS month,
  category, count(*) AS expenses,
  round(sum(CASE WHEN typeof(amount) = 'real' THEN amount ELSE 0 END), 2) AS amount
FROM expenses AS e
WHERE (is_active IS NULL OR is_active = 1)
  AND (trim(coalesce(currency, '')) = '' OR upper(trim(currency)) = 'MXN')
GROUP BY 1, 2;

CREATE VIEW check_ins_by_day AS
SELECT
  date(
    check_in_date,
    (SELECT modifier FROM zone_offsets WHERE from_utc <= c.check_in_date ORDER BY from_utc DESC LIMIT 1)
  ) AS day,
  count(*) AS check_ins
FROM check_ins AS c
GROUP BY 1;

CREATE VIEW members_by_status AS
SELECT membership_status AS status, count(*) AS members
FROM members
WHERE is_active IS NULL OR is_active = 1
GROUP BY 1;

CREATE VIEW memberships_that_end AS
SELECT *
FROM (
  SELECT
    _id, first_name, paternal_last_name, maternal_last_name, membership_end_date,
    date(
      membership_end_date,
      (SELECT modifier FROM zone_offsets WHERE from_utc <= m.membership_end_date ORDER BY from_utc DESC LIMIT 1)
    ) AS last_day
  FROM members AS m
  WHERE membership_status = 'active' AND (is_active IS NULL OR is_active = 1)
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
SELECT _id, name, stock
FROM products
WHERE (is_active IS NULL OR is_active = 1) AND typeof(stock) = 'integer' AND stock <= 5;
