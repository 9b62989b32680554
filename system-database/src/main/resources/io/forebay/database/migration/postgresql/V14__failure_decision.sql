-- Copyright The Forebay Authors
-- SPDX-License-Identifier: Apache-2.0

-- What an operator decided about a message that was not performed: SET_ASIDE or DISCARDED. Null: nothing.
alter table forebay.dead_letter add column if not exists decision varchar(10);
alter table forebay.dead_letter add column if not exists decided_by varchar(255);
alter table forebay.dead_letter add column if not exists decided_at timestamp(6) with time zone;
alter table forebay.dead_letter add column if not exists decision_reason varchar(500);
alter table forebay.failed_statement add column if not exists decision varchar(10);
alter table forebay.failed_statement add column if not exists decided_by varchar(255);
alter table forebay.failed_statement add column if not exists decided_at timestamp(6) with time zone;
alter table forebay.failed_statement add column if not exists decision_reason varchar(500);
