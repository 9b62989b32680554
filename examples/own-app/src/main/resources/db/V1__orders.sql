create table orders (
  id uuid primary key,
  item varchar(100) not null,
  total decimal(12, 2)
);
