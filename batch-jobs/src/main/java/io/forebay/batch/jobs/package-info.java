/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * The Spring Batch repository in the system database, the ownership of executions by processes, and
 * the operators' view of jobs. Start reading with {@link
 * io.forebay.batch.jobs.JobsAutoConfiguration}.
 */
@NullMarked
package io.forebay.batch.jobs;

import org.jspecify.annotations.NullMarked;
