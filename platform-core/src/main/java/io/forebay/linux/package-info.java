/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/** Functions of Linux that Java does not offer. On other systems they do nothing. */
@NullMarked
package io.forebay.linux;

import org.jspecify.annotations.NullMarked;
