/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/** Support for tests of your own services and jobs. */
@NullMarked
package io.forebay.test;

import org.jspecify.annotations.NullMarked;
