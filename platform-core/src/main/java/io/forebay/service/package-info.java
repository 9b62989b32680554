/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * A component between two queues: the loop that reads, calls, writes and remembers. Begin with
 * {@link io.forebay.service.Service}.
 */
@NullMarked
package io.forebay.service;

import org.jspecify.annotations.NullMarked;
