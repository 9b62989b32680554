create cached table if not exists orders (
  id uuid primary key,
  customer varchar(100) not null,
  item varchar(100) not null,
  quantity int not null,
  price decimal(10, 2) not null,
  placed_at timestamp(6) with time zone not null,
  number bigint generated always as identity unique,
  constraint quantity_is_positive check (quantity > 0)
);
create index if not exists orders_placed_at on orders (placed_at);

create cached table if not exists order_line (
  order_id uuid not null references orders (id) on delete cascade,
  item varchar(100) not null,
  quantity int not null
);

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

create cached table if not exists sent_mail (
  id uuid primary key,
  recipient varchar(100) not null,
  sent_at timestamp(6) with time zone not null
);
create index if not exists sent_mail_sent_at on sent_mail (sent_at);

create cached table if not exists invoice (
  id bigint generated always as identity primary key,
  order_number bigint not null,
  amount decimal(12, 2) not null,
  sent_at timestamp(6) with time zone not null
);
create index if not exists invoice_sent_at on invoice (sent_at);
