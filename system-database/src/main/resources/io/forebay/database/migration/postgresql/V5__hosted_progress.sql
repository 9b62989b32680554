-- Copyright The Forebay Authors
-- SPDX-License-Identifier: Apache-2.0

-- Which queue a service without progress of its own performs (own services, services for chunks), and how far it was at least
-- when it was last idle. Another queue may take the place of one that was drained.
create table forebay.hosted_progress (
  service varchar(100) not null,
  partition_id int not null,
  queue_id varchar(100) not null,
  next_position bigint not null,
  drained boolean not null,
  primary key (service, partition_id)
);
