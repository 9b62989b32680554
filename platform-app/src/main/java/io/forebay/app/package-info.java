/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/** The service as a process: main, profiles and security. */
@NullMarked
package io.forebay.app;

import org.jspecify.annotations.NullMarked;
