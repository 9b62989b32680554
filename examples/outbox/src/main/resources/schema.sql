create table if not exists orders (id uuid primary key, item varchar(100));
