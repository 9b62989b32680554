/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * What services, volumes and memory are like, sampled once a second, and what an operator is told
 * of it.
 */
@NullMarked
package io.forebay.admin.watch;

import org.jspecify.annotations.NullMarked;
