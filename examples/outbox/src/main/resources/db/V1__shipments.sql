create table shipment (id uuid primary key, item varchar(100));
