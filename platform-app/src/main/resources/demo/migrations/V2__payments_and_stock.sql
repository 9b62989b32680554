create cached table if not exists payment (
  id uuid primary key,
  customer varchar(100) not null,
  amount decimal(10, 2) not null,
  paid_at timestamp(6) with time zone not null,
  constraint amount_is_positive check (amount > 0)
);
create index if not exists payment_paid_at on payment (paid_at);

create cached table if not exists stock_movement (
  id uuid primary key,
  item varchar(100) not null,
  quantity int not null,
  moved_at timestamp(6) with time zone not null
);
create index if not exists stock_movement_moved_at on stock_movement (moved_at);
