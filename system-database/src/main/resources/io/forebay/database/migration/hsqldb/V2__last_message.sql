-- Copyright The Forebay Authors
-- SPDX-License-Identifier: Apache-2.0

-- Which message a partition performed last, up to where it is answered, and how often a batch from there was begun
-- without a commit. Null: not known.
alter table forebay.progress add column if not exists last_position bigint;
alter table forebay.progress add column if not exists last_checksum bigint;
alter table forebay.progress add column if not exists answered_position bigint;
alter table forebay.progress add column if not exists attempts int default 0 not null;

-- What the messages of the batch were, so that no outcome is given to another message. Null: not known.
alter table forebay.outcome add column if not exists checksum bigint;

-- Up to where the queues were performed that others have replaced, in case that one of them comes back.
create cached table if not exists forebay.former_queue (
  service varchar(100) not null,
  partition_id int not null,
  queue_id varchar(100) not null,
  next_position bigint not null,
  primary key (service, partition_id, queue_id)
);
