/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/** A small shop that keeps the service busy, for people who see it for the first time. */
@NullMarked
package io.forebay.app.demo;

import org.jspecify.annotations.NullMarked;
