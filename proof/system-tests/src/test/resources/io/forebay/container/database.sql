create role forebay_owner login;
create role forebay_gateway login;
grant create on database postgres to forebay_owner;
create table item (id bigint primary key);
grant select, insert on item to forebay_gateway;
