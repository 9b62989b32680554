create table if not exists bill (id uuid primary key, item varchar(100) not null, total decimal(12, 2) not null);
create table if not exists account (owed decimal(12, 2) not null);
insert into account values (0);
