create table orders (
  id bigint primary key,
  item varchar(100) not null
);
