/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * Looks at everything under {@code forebay.*} before a Spring application starts, and refuses to
 * start with a list of all that is wrong. What is allowed is known from the metadata that every
 * module brings of its own properties.
 */
@NullMarked
package io.forebay.configuration;

import org.jspecify.annotations.NullMarked;
