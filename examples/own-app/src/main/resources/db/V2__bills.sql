create table bill (id uuid primary key, total decimal(12, 2) not null);
create table account (owed decimal(12, 2) not null);
insert into account values (0);
