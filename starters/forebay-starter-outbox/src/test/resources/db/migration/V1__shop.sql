-- Copyright The Forebay Authors
-- SPDX-License-Identifier: Apache-2.0

create table orders (id bigint);
create table bill (id bigint);
grant select, insert on orders, bill to forebay_gateway;
