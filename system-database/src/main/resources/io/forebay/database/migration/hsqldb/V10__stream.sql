-- Copyright The Forebay Authors
-- SPDX-License-Identifier: Apache-2.0

-- How far a stream of statements is in a partition; its lines up to there were performed, each once.
create cached table if not exists forebay.stream (
  client varchar(255) not null,
  stream varchar(100) not null,
  service varchar(100) not null,
  partition_id int not null,
  line bigint not null,
  done bigint not null,
  failed bigint not null,
  repeated bigint not null,
  updated_at timestamp(6) with time zone not null,
  primary key (stream, client, service, partition_id)
);
