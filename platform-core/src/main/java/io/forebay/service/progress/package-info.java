/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * Where a partition resumes after a restart: the stored position, and whether the queue still holds
 * the message that was performed last.
 */
@NullMarked
package io.forebay.service.progress;

import org.jspecify.annotations.NullMarked;
