-- Copyright The Forebay Authors
-- SPDX-License-Identifier: Apache-2.0

-- How far the due times of a schedule of a job are handled, by all processes together. A process claims a due time by compare-and-set
-- of handled_until, starts the run that this time identifies, and then records its execution; if it dies before, another one does.
create cached table if not exists forebay.job_schedule (
  name varchar(100) not null primary key,
  handled_until timestamp(6) with time zone not null,
  due_at timestamp(6) with time zone,
  execution bigint,
  restarts int not null,
  problem varchar(1000) not null,
  paused boolean not null,
  changed_by varchar(255) not null,
  reason varchar(1000) not null
);
