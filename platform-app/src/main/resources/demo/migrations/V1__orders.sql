create cached table if not exists orders (
  id uuid primary key,
  customer varchar(100) not null,
  item varchar(100) not null,
  quantity int not null,
  price decimal(10, 2) not null,
  placed_at timestamp(6) with time zone not null,
  constraint quantity_is_positive check (quantity > 0)
);
create index if not exists orders_placed_at on orders (placed_at);

create cached table if not exists order_line (
  order_id uuid not null references orders (id) on delete cascade,
  item varchar(100) not null,
  quantity int not null
);
