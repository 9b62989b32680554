-- Copyright The Forebay Authors
-- SPDX-License-Identifier: Apache-2.0

-- HSQLDB commits each definition by itself: after a kill this is performed again, and finds some of it done.

-- Where each service stands in each partition. Updated first in every batch, by compare-and-set.
create cached table if not exists forebay.progress (
  service varchar(100) not null,
  partition_id int not null,
  queue_id varchar(100) not null,
  next_position bigint not null,
  epoch bigint not null,
  owner varchar(200) not null,
  drained boolean not null,
  primary key (service, partition_id)
);

-- What became of the statements of a batch; deleted when the out-queue is past them.
create cached table if not exists forebay.outcome (
  service varchar(100) not null,
  partition_id int not null,
  to_position bigint not null,
  from_position bigint not null,
  outcomes varbinary(16M) not null,
  primary key (service, partition_id, to_position)
);

-- One row per idempotency key.
create cached table if not exists forebay.request (
  client varchar(255) not null,
  idem_key varchar(255) not null,
  request_hash varbinary(32) not null,
  message_id uuid not null,
  service varchar(100) not null,
  partition_id int not null,
  position bigint not null,
  state varchar(10) not null,
  result varbinary(16M),
  created_at timestamp(6) with time zone not null,
  primary key (client, idem_key),
  constraint request_hash_length check (octet_length(request_hash) = 32),
  constraint request_message_id unique (message_id)
);

-- Messages that got no business answer.
create cached table if not exists forebay.dead_letter (
  queue_id varchar(100) not null,
  partition_id int not null,
  position bigint not null,
  service varchar(100) not null,
  message_id uuid,
  reason varchar(40) not null,
  detail varchar(1000),
  payload varbinary(16M),
  created_at timestamp(6) with time zone not null,
  primary key (queue_id, partition_id, position)
);
