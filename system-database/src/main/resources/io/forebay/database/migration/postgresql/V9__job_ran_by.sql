-- Copyright The Forebay Authors
-- SPDX-License-Identifier: Apache-2.0

-- The process that ran the execution, if another one recovered it: its log says why it ended.
alter table forebay.job_owner add column ran_by varchar(200);
