/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * A component between two queues: its loop, its progress, and how it is paused, drained and
 * stopped.
 */
@NullMarked
package io.forebay.service;

import org.jspecify.annotations.NullMarked;
