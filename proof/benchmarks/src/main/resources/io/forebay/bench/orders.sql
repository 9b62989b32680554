create cached table orders (
  id bigint not null,
  run integer not null,
  customer varchar(40) not null,
  amount double not null
);
