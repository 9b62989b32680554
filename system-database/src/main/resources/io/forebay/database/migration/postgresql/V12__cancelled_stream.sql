-- Copyright The Forebay Authors
-- SPDX-License-Identifier: Apache-2.0

-- A stream whose sender cancelled it: no batch that begins later performs a line of it.
create table forebay.cancelled_stream (
  client varchar(255) not null,
  stream varchar(100) not null,
  service varchar(100) not null,
  partition_id int not null,
  cancelled_at timestamp(6) with time zone not null,
  primary key (stream, client, service, partition_id)
);
