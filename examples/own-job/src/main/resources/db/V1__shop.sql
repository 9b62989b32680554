-- Copyright The Forebay Authors
-- SPDX-License-Identifier: Apache-2.0

create cached table article (
  id bigint primary key,
  cost decimal(10, 2) not null,
  price decimal(10, 2)
);
insert into article (id, cost) select n, n * 1.5 from unnest(sequence_array(1, 2000, 1)) as numbers (n);

-- One row for each time that the price of an article was changed.
create cached table price_change (
  article bigint not null,
  price decimal(10, 2) not null
);

create cached table orders (
  id bigint primary key,
  customer varchar(100) not null,
  amount decimal(10, 2) not null
);
