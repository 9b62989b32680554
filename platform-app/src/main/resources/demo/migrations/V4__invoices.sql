alter table orders add column number bigint generated always as identity;
create unique index if not exists orders_number on orders (number);

create cached table if not exists invoice (
  id bigint generated always as identity primary key,
  order_number bigint not null,
  amount decimal(12, 2) not null,
  sent_at timestamp(6) with time zone not null
);
create index if not exists invoice_sent_at on invoice (sent_at);
