-- Copyright The Forebay Authors
-- SPDX-License-Identifier: Apache-2.0

-- The open partitions of steps that several processes perform together. Whatever is written of a partition is written by the process
-- that its row names, which updates the row first; to take the partition over is to change the row, and to end it is to delete it.
create table forebay.job_partition (
  step_execution_id bigint not null primary key,
  job_execution_id bigint not null,
  step varchar(100) not null,
  runner varchar(200) not null,
  tries int not null,
  commits bigint not null,
  constraint job_partition_step foreign key (step_execution_id) references forebay.batch_step_execution (step_execution_id)
    on delete cascade
) with (
  fillfactor = 50,
  vacuum_truncate = false
);
