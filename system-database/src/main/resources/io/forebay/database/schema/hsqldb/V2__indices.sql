-- Copyright The Forebay Authors
-- SPDX-License-Identifier: Apache-2.0

-- Find the messages that operators set aside or discarded, and count and group the open and the replayed ones.
create index if not exists failed_message_decision on forebay.failed_message (service, decision, created_at);
create index if not exists failed_message_open on forebay.failed_message (service, replayed_as, decision, created_at);
