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

-- One row per idempotency key, by the message id that is made of client and key: one index instead of two.
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
  primary key (message_id),
  constraint request_hash_length check (octet_length(request_hash) = 32)
);

-- Messages that got no business answer. What was sent again carries the idempotency key that replay_key is made of.
create cached table if not exists forebay.dead_letter (
  queue_id varchar(100) not null,
  partition_id int not null,
  position bigint not null,
  service varchar(100) not null,
  message_id uuid,
  reason varchar(40) not null,
  detail varchar(1000) not null,
  payload varbinary(16M) not null,
  created_at timestamp(6) with time zone not null,
  replay_key uuid not null,
  replayed_as uuid,
  replayed_position bigint,
  replayed_by varchar(255),
  replayed_at timestamp(6) with time zone,
  replays int default 0 not null,
  primary key (queue_id, partition_id, position)
);
create index if not exists dead_letter_time on forebay.dead_letter (service, created_at);
create index if not exists dead_letter_key on forebay.dead_letter (replay_key);

-- Statements that failed, as they came, so that an operator can see them and send them again.
create cached table if not exists forebay.failed_statement (
  queue_id varchar(100) not null,
  partition_id int not null,
  position bigint not null,
  service varchar(100) not null,
  message_id uuid not null,
  kind varchar(40) not null,
  sql_state varchar(5) not null,
  detail varchar(1000) not null,
  payload varbinary(16M) not null,
  created_at timestamp(6) with time zone not null,
  replay_key uuid not null,
  replayed_as uuid,
  replayed_position bigint,
  replayed_by varchar(255),
  replayed_at timestamp(6) with time zone,
  replays int default 0 not null,
  primary key (queue_id, partition_id, position)
);
create index if not exists failed_statement_time on forebay.failed_statement (service, created_at);
create index if not exists failed_statement_key on forebay.failed_statement (replay_key);

-- Those below are used in the system database.

-- What an operator wants of a service; it holds for every instance and after a restart.
create cached table if not exists forebay.service_state (
  service varchar(100) not null primary key,
  desired varchar(20) not null,
  reason varchar(1000) not null,
  changed_by varchar(255) not null,
  changed_at timestamp(6) with time zone not null
);

-- What each instance is like, once a second, for the others to show.
create cached table if not exists forebay.instance (
  id varchar(200) not null primary key,
  seen_at timestamp(6) with time zone not null,
  summary varchar(8192) not null
);

-- Who may call. Of a token only its SHA-256 is kept.
create cached table if not exists forebay.token (
  name varchar(100) not null primary key,
  hash varbinary(32) not null,
  role varchar(20) not null,
  statements varchar(4000) not null,
  created_by varchar(255) not null,
  created_at timestamp(6) with time zone not null,
  constraint token_hash unique (hash)
);

-- Who logs in to the admin page. Of a password only its Argon2 hash is kept.
create cached table if not exists forebay.admin_user (
  name varchar(100) not null primary key,
  password varchar(255) not null,
  role varchar(20) not null,
  must_change boolean not null,
  created_by varchar(255) not null,
  created_at timestamp(6) with time zone not null
);

-- Who is logged in. Of what the browser presents only the SHA-256 is kept.
create cached table if not exists forebay.admin_session (
  hash varbinary(32) not null primary key,
  user_name varchar(100) not null,
  used_at timestamp(6) with time zone not null
);

-- Who did, tried or was refused what.
create cached table if not exists forebay.audit (
  id bigint generated always as identity primary key,
  created_at timestamp(6) with time zone not null,
  actor varchar(255) not null,
  role varchar(20) not null,
  address varchar(100) not null,
  action varchar(100) not null,
  target varchar(500) not null,
  reason varchar(1000) not null,
  outcome varchar(100) not null
);

-- Spring Batch's own tables, as its version 6.0 has them: what jobs there were, how far they came and what they know.
create cached table if not exists forebay.batch_job_instance (
  job_instance_id bigint not null primary key,
  version bigint,
  job_name varchar(100) not null,
  job_key varchar(32) not null,
  constraint job_inst_un unique (job_name, job_key)
);
create cached table if not exists forebay.batch_job_execution (
  job_execution_id bigint not null primary key,
  version bigint,
  job_instance_id bigint not null,
  create_time timestamp(9) not null,
  start_time timestamp(9) default null,
  end_time timestamp(9) default null,
  status varchar(10),
  exit_code varchar(2500),
  exit_message varchar(2500),
  last_updated timestamp(9),
  constraint job_inst_exec_fk foreign key (job_instance_id) references forebay.batch_job_instance (job_instance_id)
);
create index if not exists batch_job_execution_instance on forebay.batch_job_execution (job_instance_id);
create cached table if not exists forebay.batch_job_execution_params (
  job_execution_id bigint not null,
  parameter_name varchar(100) not null,
  parameter_type varchar(100) not null,
  parameter_value varchar(2500),
  identifying char(1) not null,
  constraint job_exec_params_fk foreign key (job_execution_id) references forebay.batch_job_execution (job_execution_id)
);
create index if not exists batch_job_execution_params_execution on forebay.batch_job_execution_params (job_execution_id);
create cached table if not exists forebay.batch_step_execution (
  step_execution_id bigint not null primary key,
  version bigint not null,
  step_name varchar(100) not null,
  job_execution_id bigint not null,
  create_time timestamp(9) not null,
  start_time timestamp(9) default null,
  end_time timestamp(9) default null,
  status varchar(10),
  commit_count bigint,
  read_count bigint,
  filter_count bigint,
  write_count bigint,
  read_skip_count bigint,
  write_skip_count bigint,
  process_skip_count bigint,
  rollback_count bigint,
  exit_code varchar(2500),
  exit_message varchar(2500),
  last_updated timestamp(9),
  constraint job_exec_step_fk foreign key (job_execution_id) references forebay.batch_job_execution (job_execution_id)
);
create index if not exists batch_step_execution_execution on forebay.batch_step_execution (job_execution_id);
create cached table if not exists forebay.batch_step_execution_context (
  step_execution_id bigint not null primary key,
  short_context varchar(2500) not null,
  serialized_context longvarchar,
  constraint step_exec_ctx_fk foreign key (step_execution_id) references forebay.batch_step_execution (step_execution_id)
);
create cached table if not exists forebay.batch_job_execution_context (
  job_execution_id bigint not null primary key,
  short_context varchar(2500) not null,
  serialized_context longvarchar,
  constraint job_exec_ctx_fk foreign key (job_execution_id) references forebay.batch_job_execution (job_execution_id)
);
create sequence if not exists forebay.batch_step_execution_seq as bigint start with 1;
create sequence if not exists forebay.batch_job_execution_seq as bigint start with 1;
create sequence if not exists forebay.batch_job_instance_seq as bigint start with 1;

-- Processes that run jobs. One that did not renew its lease for so long, by this database's clock, is dead.
create cached table if not exists forebay.job_runner (
  id varchar(200) not null primary key,
  renewed_at timestamp(6) with time zone not null,
  lease_millis bigint not null
);

-- The process that an execution of a job belongs to. Whatever is written of an execution is written by its owner, who
-- updates this row first; to take an execution over is to change it.
create cached table if not exists forebay.job_owner (
  job_execution_id bigint not null primary key,
  runner varchar(200) not null,
  started_by varchar(255) not null,
  ended boolean not null,
  writes bigint not null,
  constraint job_owner_execution foreign key (job_execution_id) references forebay.batch_job_execution (job_execution_id)
    on delete cascade
);
