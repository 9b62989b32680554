-- Copyright The Forebay Authors
-- SPDX-License-Identifier: Apache-2.0

-- Which message a partition performed last, up to where it is answered, and how often it was claimed without performing
-- a batch. Null: not known.
alter table forebay.progress add column if not exists last_position bigint;
alter table forebay.progress add column if not exists last_checksum bigint;
alter table forebay.progress add column if not exists answered_position bigint;
alter table forebay.progress add column if not exists attempts int default 0 not null;

-- What the messages of the batch were, so that no outcome is given to another message. Null: not known.
alter table forebay.outcome add column if not exists checksum bigint;
