/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * Checks everything under {@code forebay.*} before a Spring application starts and, if it is
 * invalid, refuses to start with a list of all violations. The metadata of each module defines
 * which properties are allowed.
 */
@NullMarked
package io.forebay.spring.configuration;

import org.jspecify.annotations.NullMarked;
