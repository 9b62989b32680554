-- Copyright The Forebay Authors
-- SPDX-License-Identifier: Apache-2.0

-- The tables on all databases; the types and words that differ are placeholders (Dialect). HSQLDB commits each definition by
-- itself: after a kill, the migration runs again and finds some of it done.

-- Who performs each partition of a service, and of which queue. Locked first in every batch, and rarely updated.
create ${table} if not exists forebay.progress (
  service varchar(100) not null,
  partition_id int not null,
  queue_id varchar(100) not null,
  epoch bigint not null,
  owner varchar(200) not null,
  drained boolean not null,
  -- How long the gateway has run, as a time that no clock can move. Idempotency keys age by it.
  key_clock timestamp(6) with time zone,
  primary key (service, partition_id)
);

-- What became of the statements of a batch; deleted when the out-queue is past them, except the newest one of a queue, whose
-- end is how far the queue was performed. A queue that another one replaced keeps one row, for the case that it comes back.
create ${table} if not exists forebay.outcome (
  service varchar(100) not null,
  partition_id int not null,
  queue_id varchar(100) not null,
  to_position bigint not null,
  -- Null: no batch ended here.
  from_position bigint,
  outcomes ${bytes},
  -- Identifies the messages of the batch, so that no outcome is given to another message. Null: unknown.
  checksum bigint,
  -- The last performed message, the ends of what is answered and deleted here (null: unknown), and how often a batch from
  -- to_position was begun without a commit.
  last_position bigint,
  last_checksum bigint,
  answered_position bigint,
  pruned_position bigint,
  attempts int default 0 not null,
  primary key (service, partition_id, queue_id, to_position)
);

-- One row per idempotency key, by the message id that is made of client and key: one index instead of two.
create ${table} if not exists forebay.request (
  client varchar(255) not null,
  idem_key varchar(255) not null,
  request_hash ${hash} not null,
  message_id uuid not null,
  service varchar(100) not null,
  partition_id int not null,
  position bigint not null,
  state varchar(10) not null,
  result ${bytes},
  created_at timestamp(6) with time zone not null,
  primary key (message_id),
  constraint request_hash_length check (octet_length(request_hash) = 32)
);

-- Messages that failed or could not be decoded, as they came, so that an operator can see them and send them again. A replayed
-- message carries the idempotency key that replay_key is made of.
create ${table} if not exists forebay.failed_message (
  queue_id varchar(100) not null,
  partition_id int not null,
  position bigint not null,
  service varchar(100) not null,
  message_id uuid,
  kind varchar(40) not null,
  -- Null: the message could not be decoded.
  sql_state varchar(5),
  detail varchar(1000) not null,
  payload ${bytes} not null,
  created_at timestamp(6) with time zone not null,
  replay_key uuid not null,
  replayed_as uuid,
  replayed_position bigint,
  replayed_by varchar(255),
  replayed_at timestamp(6) with time zone,
  replays int default 0 not null,
  -- The database's error message; it may contain values. Null: unknown.
  message varchar(500),
  -- The decision of an operator about a message that was not performed: SET_ASIDE or DISCARDED. Null: none.
  decision varchar(10),
  decided_by varchar(255),
  decided_at timestamp(6) with time zone,
  decision_reason varchar(500),
  -- What failed and on what; failed messages are grouped by it. Null: SQL text, or nothing that the database named.
  statement_name varchar(200),
  failed_on varchar(500),
  primary key (queue_id, partition_id, position)
);
create index if not exists failed_message_time on forebay.failed_message (service, created_at);
create index if not exists failed_message_key on forebay.failed_message (replay_key);

-- How far a stream of statements is in a partition: each line up to there was performed once.
create ${table} if not exists forebay.stream (
  client varchar(255) not null,
  stream varchar(100) not null,
  service varchar(100) not null,
  partition_id int not null,
  line bigint not null,
  done bigint not null,
  failed bigint not null,
  repeated bigint not null,
  updated_at timestamp(6) with time zone not null,
  primary key (stream, client, service, partition_id, line)
);

-- The tables below are used in the system database.

-- What an operator wants of a service; it holds for every instance and after a restart.
create ${table} if not exists forebay.service_state (
  service varchar(100) not null primary key,
  desired varchar(20) not null,
  reason varchar(1000) not null,
  changed_by varchar(255) not null,
  changed_at timestamp(6) with time zone not null,
  -- When a pause ends. Null: it does not end.
  ends_at timestamp(6) with time zone,
  -- The first of the pauses that replaced each other. Null: the pause replaced none.
  first_at timestamp(6) with time zone,
  first_by varchar(255),
  first_reason varchar(1000)
);

-- What each instance is like, once a second, for the others to show.
create ${table} if not exists forebay.instance (
  id varchar(200) not null primary key,
  seen_at timestamp(6) with time zone not null,
  summary varchar(8192) not null
);

-- The queue that a service without progress of its own performs (own services, services for chunks), and how far it was at
-- least when it was last idle. Another queue may take the place of one that was drained.
create ${table} if not exists forebay.hosted_progress (
  service varchar(100) not null,
  partition_id int not null,
  queue_id varchar(100) not null,
  next_position bigint not null,
  drained boolean not null,
  primary key (service, partition_id)
);

-- The secret with which instances prove to each other which messages they wrote.
create ${table} if not exists forebay.sender_key (
  only_row smallint not null primary key,
  secret varchar(100) not null,
  created_at timestamp(6) with time zone not null
);

-- How many statements per second a caller may send to each instance, by command of an operator.
create ${table} if not exists forebay.caller_limit (
  caller varchar(255) not null primary key,
  per_second int not null,
  reason varchar(1000) not null,
  changed_by varchar(255) not null,
  changed_at timestamp(6) with time zone not null,
  ends_at timestamp(6) with time zone not null
);

-- Who may call. Of a token only its SHA-256 is kept.
create ${table} if not exists forebay.token (
  name varchar(100) not null primary key,
  hash ${hash} not null unique,
  role varchar(20) not null,
  statements varchar(262144) not null,
  created_by varchar(255) not null,
  created_at timestamp(6) with time zone not null,
  expires_at timestamp(6) with time zone not null
);

-- Who logs in to the admin page. Of a password only its Argon2 hash is kept.
create ${table} if not exists forebay.admin_user (
  name varchar(100) not null primary key,
  password varchar(255) not null,
  role varchar(20) not null,
  must_change boolean not null,
  created_by varchar(255) not null,
  created_at timestamp(6) with time zone not null,
  -- The statements that jobs may perform for the user; patterns separated by spaces, like those of a token.
  statements varchar(262144) default '' not null,
  -- A login is valid as long as this number and the password are those of then.
  logouts int default 0 not null
);

-- Who did, tried or was refused what.
create ${table} if not exists forebay.audit (
  id bigint generated always as identity primary key,
  created_at timestamp(6) with time zone not null,
  actor varchar(255) not null,
  role varchar(20) not null,
  address varchar(100) not null,
  action varchar(100) not null,
  target varchar(2000) not null,
  reason varchar(5000) not null,
  outcome varchar(500) not null,
  -- Says what the actor is: a user, a token, a job.
  actor_kind varchar(20) default '' not null,
  -- A line for each field that the command changed: its name, its value before and after, separated by tabs.
  changes varchar(20000) default '' not null
);
create index if not exists audit_actor on forebay.audit (actor, id);

-- Spring Batch's own tables, as its version 6.0 has them: what jobs there were, how far they came and what they know.
-- To delete an instance is to delete its executions. In PostgreSQL, times are the same in every time zone of a process.
create ${table} if not exists forebay.batch_job_instance (
  job_instance_id bigint not null primary key,
  version bigint,
  job_name varchar(100) not null,
  job_key varchar(32) not null,
  constraint job_inst_un unique (job_name, job_key)
);
create ${table} if not exists forebay.batch_job_execution (
  job_execution_id bigint not null primary key,
  version bigint,
  job_instance_id bigint not null,
  create_time ${timestamp} not null,
  start_time ${timestamp} default null,
  end_time ${timestamp} default null,
  status varchar(10),
  exit_code varchar(2500),
  exit_message varchar(2500),
  last_updated ${timestamp},
  constraint job_inst_exec_fk foreign key (job_instance_id) references forebay.batch_job_instance (job_instance_id)
    on delete cascade
);
create index if not exists batch_job_execution_instance on forebay.batch_job_execution (job_instance_id);
create ${table} if not exists forebay.batch_job_execution_params (
  job_execution_id bigint not null,
  parameter_name varchar(100) not null,
  parameter_type varchar(100) not null,
  parameter_value varchar(2500),
  identifying char(1) not null,
  constraint job_exec_params_fk foreign key (job_execution_id) references forebay.batch_job_execution (job_execution_id)
    on delete cascade
);
create index if not exists batch_job_execution_params_execution on forebay.batch_job_execution_params (job_execution_id);
create ${table} if not exists forebay.batch_step_execution (
  step_execution_id bigint not null primary key,
  version bigint not null,
  step_name varchar(100) not null,
  job_execution_id bigint not null,
  create_time ${timestamp} not null,
  start_time ${timestamp} default null,
  end_time ${timestamp} default null,
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
  last_updated ${timestamp},
  constraint job_exec_step_fk foreign key (job_execution_id) references forebay.batch_job_execution (job_execution_id)
    on delete cascade
);
create index if not exists batch_step_execution_execution on forebay.batch_step_execution (job_execution_id);
create ${table} if not exists forebay.batch_step_execution_context (
  step_execution_id bigint not null primary key,
  short_context varchar(2500) not null,
  serialized_context ${text},
  constraint step_exec_ctx_fk foreign key (step_execution_id) references forebay.batch_step_execution (step_execution_id)
    on delete cascade
);
create ${table} if not exists forebay.batch_job_execution_context (
  job_execution_id bigint not null primary key,
  short_context varchar(2500) not null,
  serialized_context ${text},
  constraint job_exec_ctx_fk foreign key (job_execution_id) references forebay.batch_job_execution (job_execution_id)
    on delete cascade
);
create sequence if not exists forebay.batch_step_execution_seq as bigint start with 1;
create sequence if not exists forebay.batch_job_execution_seq as bigint start with 1;
create sequence if not exists forebay.batch_job_instance_seq as bigint start with 1;

-- The process that an execution of a job belongs to. Whatever is written of an execution is written by its owner, who
-- updates this row first; to take an execution over is to change it.
create ${table} if not exists forebay.job_owner (
  job_execution_id bigint not null primary key
    references forebay.batch_job_execution (job_execution_id) on delete cascade,
  runner varchar(200) not null,
  started_by varchar(255) not null,
  writes bigint default 0 not null,
  -- The process that ran the execution, if another one recovered it: its log says why it ended.
  ran_by varchar(200)
);

-- The table of db-scheduler: when each schedule of jobs is due next.
create ${table} if not exists forebay.scheduled_task (
  task_name varchar(100) not null,
  task_instance varchar(100) not null,
  task_data ${bytes},
  execution_time timestamp(6) with time zone not null,
  picked boolean not null,
  picked_by varchar(50),
  last_success timestamp(6) with time zone,
  last_failure timestamp(6) with time zone,
  consecutive_failures int,
  last_heartbeat timestamp(6) with time zone,
  version bigint not null,
  priority smallint,
  primary key (task_name, task_instance)
);
