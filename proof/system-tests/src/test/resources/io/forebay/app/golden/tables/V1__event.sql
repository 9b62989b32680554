create cached table if not exists event (id int primary key);
