create table orders (id bigint primary key, item varchar(100) not null);
create schema shop;
create table shop."Order lines" (id bigint primary key);
