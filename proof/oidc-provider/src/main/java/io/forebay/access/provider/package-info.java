/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/** An OpenID provider as a process, for tests. */
@NullMarked
package io.forebay.access.provider;

import org.jspecify.annotations.NullMarked;
