/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/** Own services as beans of a Spring application. */
@NullMarked
package io.forebay.spring.hosting;

import org.jspecify.annotations.NullMarked;
