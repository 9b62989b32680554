-- Copyright The Forebay Authors
-- SPDX-License-Identifier: Apache-2.0

create cached table orders (
  id bigint primary key,
  customer varchar(100) not null,
  amount decimal(10, 2) not null
);
