/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/** Files that survive a power failure, and what other users can do to files. */
@NullMarked
package io.forebay.file;

import org.jspecify.annotations.NullMarked;
