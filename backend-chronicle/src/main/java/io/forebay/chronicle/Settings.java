/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle;

/** The settings that all queues of one backend share. */
record Settings(ChronicleBackend.Options options, Host host, CycleClock clock, DiskSpace space) {}
