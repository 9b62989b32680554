create cached table if not exists orders (
  id bigint generated always as identity primary key,
  item varchar(100) not null
);
